/** The style of the pages for people who work: system fonts, light and dark, readable from 320 pixels. */
export const style = `
:root{color-scheme:light dark;--page:#fbfaf7;--ink:#23211e;--soft:#625d55;--line:#d9d3c8;--well:#f3f0ea;--link:#0f6466;--bad:#a1260d}
@media (prefers-color-scheme:dark){:root{--page:#161718;--ink:#e7e3dc;--soft:#aaa49a;--line:#3a3b3c;--well:#1f2122;--link:#6fc7c4;--bad:#ff9a85}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
header,main{max-width:46rem;margin:0 auto;padding:1.25rem 1.25rem 0}
header{font-size:.9rem;color:var(--soft);display:flex;gap:1.25rem;flex-wrap:wrap}
main{padding-bottom:4rem}
h1{font-size:1.75rem;line-height:1.2;margin:.5rem 0 1rem}
h2{font-size:1.2rem;margin:2rem 0 .5rem}
a{color:var(--link)}
.tasks{list-style:none;margin:1.5rem 0 0;padding:0}
.tasks li{border-top:1px solid var(--line);padding:1rem 0}
.tasks h2{font-size:1.1rem;margin:0}
.facts{color:var(--soft);margin:.25rem 0 0}
.bounty{color:var(--ink);font-weight:600}
.words{white-space:pre-line}
dl{display:grid;grid-template-columns:minmax(7rem,auto) 1fr;gap:.35rem 1rem;margin:1rem 0}
dt{color:var(--soft)}
dd{margin:0}
form{margin:1rem 0}
fieldset{border:1px solid var(--line);border-radius:8px;margin:0 0 1rem;padding:.5rem 1rem 1rem}
legend{font-weight:600;padding:0 .4rem}
label{display:block;margin:.75rem 0 .25rem}
input,textarea,select{font:inherit;color:inherit;background:var(--page);border:1px solid var(--soft);border-radius:6px;padding:.5rem .6rem;width:100%}
textarea{min-height:6rem}
.row{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:0 1rem}
button{font:inherit;font-weight:600;color:var(--page);background:var(--link);border:0;border-radius:6px;padding:.6rem 1.1rem;margin:.75rem .5rem 0 0;min-height:2.75rem;cursor:pointer}
button.plain{color:var(--link);background:none;border:1px solid var(--link)}
button[disabled]{opacity:.6;cursor:default}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.work{background:var(--well);border:1px solid var(--line);border-radius:8px;padding:1rem 1.25rem;margin-top:2rem}
.work h2{margin-top:0}
.say{min-height:1.5rem;margin:.75rem 0 0}
.say.bad{color:var(--bad)}
[hidden]{display:none}
`
