/** What all pages with this look begin with: system fonts, light and dark, readable from 320 pixels. */
export const baseStyle = `
:root{color-scheme:light dark;--page:#fbfaf7;--ink:#23211e;--soft:#6b665e;--line:#e4dfd6;--well:#f3f0ea;--act:#0f6466;--on:#fff;--bad:#9b2c1f}
@media (prefers-color-scheme:dark){:root{--page:#161718;--ink:#e7e3dc;--soft:#9b958b;--line:#313233;--well:#1f2122;--act:#6fc7c4;--on:#10201f;--bad:#f0907f}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:36rem;margin:0 auto;padding:2.5rem 1.25rem}
h1{font-size:1.6rem;line-height:1.25;letter-spacing:-.01em;margin:0 0 .5rem;overflow-wrap:anywhere}
p{margin:0 0 1rem;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.35rem 1rem;margin:1rem 0 1.5rem;padding:1rem;background:var(--well);border:1px solid var(--line);border-radius:8px}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
legend,label{display:block;margin-bottom:.35rem}
button{font:inherit;font-weight:600;width:100%;padding:.8rem 1rem;border:0;border-radius:8px;background:var(--act);color:var(--on);cursor:pointer}
button:disabled{opacity:.6;cursor:progress}
button:focus-visible,input:focus-visible,select:focus-visible,textarea:focus-visible,summary:focus-visible,pre:focus-visible,a:focus-visible{outline:2px solid var(--act);outline-offset:2px}
a{color:var(--act)}
.note{font-size:.9rem;color:var(--soft)}
#status{min-height:1.6em;margin:1rem 0}
#status.bad{color:var(--bad)}
[hidden]{display:none}
`
