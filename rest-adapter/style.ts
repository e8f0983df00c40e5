/** The one style sheet of all pages: system fonts, light and dark, readable from 360 pixels. */
export const style = `
:root{color-scheme:light dark;--page:#fbfaf7;--ink:#23211e;--soft:#6b665e;--line:#e4dfd6;--well:#f3f0ea;--link:#0f6466}
@media (prefers-color-scheme:dark){:root{--page:#161718;--ink:#e7e3dc;--soft:#9b958b;--line:#313233;--well:#1f2122;--link:#6fc7c4}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header,main,footer{max-width:54rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:1.25rem;font-size:.875rem;color:var(--soft)}
header a+a::before,header a+span::before{content:"/";display:inline-block;margin:0 .5rem;color:var(--line)}
main{padding-top:1.5rem;padding-bottom:3rem}
footer{padding-bottom:2.5rem;font-size:.875rem;color:var(--soft)}
footer a{margin-right:1.25rem}
h1{font-size:2rem;line-height:1.2;letter-spacing:-.02em;margin:0 0 .75rem}
h2{font-size:1.25rem;line-height:1.3;margin:2.75rem 0 .75rem;padding-top:1.25rem;border-top:1px solid var(--line)}
h3{font-size:1.05rem;line-height:1.4;margin:2rem 0 .25rem}
p,ul,ol{margin:0 0 1rem}
li{margin:.2rem 0}
a{color:var(--link);text-decoration:none}
a:hover,main p a,main li a{text-decoration:underline;text-decoration-thickness:1px;text-underline-offset:.18em}
a:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
h1+blockquote{margin:0 0 1.5rem;padding:0;border:0;font-size:1.125rem;color:var(--soft)}
blockquote{margin:0 0 1rem;padding-left:1rem;border-left:3px solid var(--line)}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
:not(pre)>code{background:var(--well);padding:.1em .35em;border-radius:4px;overflow-wrap:anywhere}
main,header,footer{overflow-wrap:anywhere}
.copy{float:right;margin:0 0 .5rem .75rem}
button{font:inherit;font-size:.8125rem;color:var(--ink);background:var(--page);border:1px solid var(--line);border-radius:6px;padding:.15rem .6rem;cursor:pointer}
button:focus-visible,input:focus-visible,.wide:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.search{margin:0 0 1.5rem}
.search input{font:inherit;color:var(--ink);background:var(--page);width:100%;padding:.5rem .75rem;border:1px solid var(--soft);border-radius:8px}
.search ul{list-style:none;margin:.5rem 0 0;padding:0}
header a,main td a{text-decoration:underline;text-decoration-thickness:1px;text-underline-offset:.18em}
pre{background:var(--well);border:1px solid var(--line);border-radius:8px;padding:.8rem 1rem;margin:.5rem 0 1.25rem;white-space:pre-wrap;overflow-wrap:anywhere}
.wide{overflow-x:auto;margin:0 0 1.25rem}
table{border-collapse:collapse;width:100%;font-size:.9375rem}
th{text-align:left;font-weight:600;color:var(--soft);font-size:.8125rem}
th,td{overflow-wrap:break-word;padding:.55rem .9rem .55rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td:first-child{white-space:nowrap}
td:first-child code{overflow-wrap:break-word}
figure{margin:0 0 1.25rem}
figure svg{display:block;width:100%;max-width:28rem;height:auto}
svg text{fill:var(--ink);font:12px system-ui,sans-serif}
svg .grid{stroke:var(--line)}
svg .diagonal{stroke:var(--soft);stroke-dasharray:4 4}
svg .interval,svg .trend{stroke:var(--link);stroke-width:2;fill:none}
svg .point,svg .bar{fill:var(--link)}
svg .few{fill:var(--page);stroke:var(--link);stroke-width:2}
svg .band{fill:var(--link);opacity:.18}
svg .loss{fill:var(--soft)}
@media (max-width:40rem){td:first-child{white-space:normal}}
`
