import { baseStyle } from '../style.ts'

/** The style of the pages of accounts. */
export const style = `${baseStyle}
h2{font-size:1.15rem;margin:2rem 0 .5rem}
fieldset{border:1px solid var(--line);border-radius:8px;margin:0 0 1rem;padding:.75rem 1rem}
input,select,textarea{font:inherit;width:100%;padding:.5rem;border:1px solid var(--line);border-radius:8px;background:var(--page);color:inherit}
input[type=checkbox],input[type=radio]{width:auto}
button.quiet{background:none;color:var(--act);border:1px solid var(--line)}
button+button,form+form{margin-top:.75rem}
form+p{margin-top:1rem}
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
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
`
