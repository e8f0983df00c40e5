/** The style of the pages of accounts: system fonts, light and dark, readable from 320 pixels. */
export const style = `
:root{color-scheme:light dark;--page:#fbfaf7;--ink:#23211e;--soft:#6b665e;--line:#e4dfd6;--well:#f3f0ea;--act:#0f6466;--on:#fff;--bad:#9b2c1f}
@media (prefers-color-scheme:dark){:root{--page:#161718;--ink:#e7e3dc;--soft:#9b958b;--line:#313233;--well:#1f2122;--act:#6fc7c4;--on:#10201f;--bad:#f0907f}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:36rem;margin:0 auto;padding:2.5rem 1.25rem}
h1{font-size:1.6rem;line-height:1.25;letter-spacing:-.01em;margin:0 0 .5rem;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2rem 0 .5rem}
p{margin:0 0 1rem;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.35rem 1rem;margin:1rem 0 1.5rem;padding:1rem;background:var(--well);border:1px solid var(--line);border-radius:8px}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
fieldset{border:1px solid var(--line);border-radius:8px;margin:0 0 1rem;padding:.75rem 1rem}
legend,label{display:block;margin-bottom:.35rem}
input,select,textarea{font:inherit;width:100%;padding:.5rem;border:1px solid var(--line);border-radius:8px;background:var(--page);color:inherit}
input[type=checkbox],input[type=radio]{width:auto}
button{font:inherit;font-weight:600;width:100%;padding:.8rem 1rem;border:0;border-radius:8px;background:var(--act);color:var(--on);cursor:pointer}
button.quiet{background:none;color:var(--act);border:1px solid var(--line)}
button+button,form+form{margin-top:.75rem}
form+p{margin-top:1rem}
button:disabled{opacity:.6;cursor:progress}
button:focus-visible,input:focus-visible,select:focus-visible,textarea:focus-visible,summary:focus-visible,pre:focus-visible,a:focus-visible{outline:2px solid var(--act);outline-offset:2px}
a{color:var(--act)}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:.95rem}
th,td{text-align:left;padding:.4rem .5rem .4rem 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:0 0 1rem;padding:1rem;background:var(--well);border:1px solid var(--line);border-radius:8px}
details{margin:.75rem 0}
summary{cursor:pointer;color:var(--act)}
summary+*{margin-top:.75rem}
input,select,textarea{margin-bottom:.75rem}
.rows{list-style:none;margin:0 0 1rem;padding:0}
.rows li{padding:.75rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
.rows p{margin:0}
.rows form+.note{margin-top:.5rem}
[data-keys]>button{margin:0 0 .75rem}
.rows form{margin:.5rem 0 0}
.rows button{width:auto;padding:.4rem .9rem;font-size:.95rem}
button.grave{background:none;color:var(--bad);border:1px solid var(--bad)}
.note{font-size:.9rem;color:var(--soft)}
#status{min-height:1.6em;margin:1rem 0}
#status.bad{color:var(--bad)}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
[hidden]{display:none}
`
