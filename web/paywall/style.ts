import { baseStyle } from '../style.ts'

/** The style of the paywall. */
export const style = `${baseStyle}
header{display:flex;gap:.75rem;align-items:center;color:var(--soft);margin-bottom:1.5rem;overflow-wrap:anywhere}
header img{width:2.25rem;height:2.25rem;object-fit:contain}
.price{font-size:2rem;font-weight:600;letter-spacing:-.02em;margin:1.25rem 0 .25rem}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
fieldset{border:0;margin:0 0 1rem;padding:0}
select{font:inherit;width:100%;padding:.5rem;border:1px solid var(--line);border-radius:8px;background:var(--page);color:inherit}
button+.note{margin-top:.75rem}
#answer{margin-top:1.5rem}
pre{background:var(--well);border:1px solid var(--line);border-radius:8px;padding:.8rem 1rem;white-space:pre-wrap;overflow-wrap:anywhere;margin:0 0 1rem}
#answer img,iframe{max-width:100%;border:1px solid var(--line);border-radius:8px}
iframe{width:100%;height:70vh;background:#fff}
`
