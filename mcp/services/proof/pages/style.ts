/** The style of the pages for people: system fonts, light and dark, readable from 320 pixels. */
export const style = `
:root{color-scheme:light dark;--page:#fbfaf7;--ink:#23211e;--soft:#625d55;--line:#d9d3c8;--well:#f3f0ea;--link:#0f6466;--good:#1d6b2f;--bad:#a1260d}
@media (prefers-color-scheme:dark){:root{--page:#161718;--ink:#e7e3dc;--soft:#aaa49a;--line:#3a3b3c;--well:#1f2122;--link:#6fc7c4;--good:#8fd19b;--bad:#ff9a85}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
header,main{max-width:48rem;margin:0 auto;padding:1.25rem 1.25rem 0}
header nav{font-size:.9rem;display:flex;gap:.5rem 1.25rem;flex-wrap:wrap}
main{padding-bottom:4rem}
h1{font-size:1.75rem;line-height:1.2;letter-spacing:-.01em;margin:.5rem 0 1rem}
h2{font-size:1.2rem;line-height:1.3;margin:2.5rem 0 .75rem;padding-top:1.25rem;border-top:1px solid var(--line)}
p{margin:0 0 1rem}
a{color:var(--link);text-underline-offset:.18em}
.soft{color:var(--soft)}
.good{color:var(--good)}
.bad{color:var(--bad)}
.lead{font-size:1.1rem;color:var(--soft)}
@media (min-width:40rem){.tiles.tiles{grid-template-columns:repeat(3,1fr)}}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(9rem,40%),1fr));gap:.75rem;margin:1.25rem 0}
.tiles div{background:var(--well);border-radius:8px;padding:.7rem .9rem}
.tiles dt{font-size:.85rem;color:var(--soft)}
.tiles dd{margin:0;font-size:1.35rem;font-weight:600;font-variant-numeric:tabular-nums}
.facts{display:grid;grid-template-columns:minmax(7rem,11rem) 1fr;gap:.4rem 1rem;margin:1rem 0}
.facts dt{color:var(--soft)}
.facts dd{margin:0}
figure{margin:1.25rem 0}
figure svg{display:block;width:100%;height:9rem;border-bottom:1px solid var(--line)}
svg .area{fill:var(--link);opacity:.16}
svg .trend{fill:none;stroke:var(--link);stroke-width:2;vector-effect:non-scaling-stroke}
figcaption{display:flex;justify-content:space-between;gap:1rem;font-size:.85rem;color:var(--soft);padding-top:.35rem}
code,pre,textarea,.hash{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.hash{font-size:.8em}
pre{background:var(--well);border-radius:8px;padding:.8rem 1rem;margin:0 0 1rem;white-space:pre-wrap}
ul.rows,ol.rows{list-style:none;margin:0 0 1rem;padding:0}
.rows>li{border-top:1px solid var(--line);padding:.7rem 0}
.rows>li:last-child{border-bottom:1px solid var(--line)}
.rows p{margin:0}
.words{white-space:pre-line}
.rows .words{margin:.25rem 0}
.untrusted{border-left:3px solid var(--line);padding-left:1rem}
.pager{display:flex;gap:1.25rem;flex-wrap:wrap}
details{margin:0 0 1rem}
summary{cursor:pointer;padding:.35rem 0}
form{margin:1rem 0}
label{display:block;margin:.75rem 0 .25rem}
input,textarea{font:inherit;color:inherit;background:var(--page);border:1px solid var(--soft);border-radius:6px;padding:.5rem .6rem;width:100%}
textarea{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.8rem}
button{font:inherit;font-weight:600;color:var(--page);background:var(--link);border:0;border-radius:6px;padding:.55rem 1.1rem;margin:.75rem 0 0;min-height:2.75rem;cursor:pointer}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
#result{background:var(--well);border-radius:8px;padding:.25rem 1.1rem .5rem}
#result h3{margin:.75rem 0 .5rem;font-size:1.25rem}
#result ul{margin:0 0 1rem;padding-left:1.2rem}
#result pre{padding:0}
#result[data-valid="true"] h3{color:var(--good)}
#result[data-valid="false"] h3{color:var(--bad)}
[hidden]{display:none}
@media (max-width:32rem){.facts{grid-template-columns:1fr;gap:0}.facts dd{margin:0 0 .6rem}}
`
