import { Tokenizer } from 'htmlparser2'
import { silent } from './entities.ts'

const blocks = new Set(
  'address article aside blockquote br caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)

/** Elements whose content nobody reads. What stands in a frame, an object, a drawing or a formula is text. */
const unread = new Set(['script', 'style', 'head', 'noscript', 'template'])

/** Collects the text of HTML: a new line where a block begins or ends, nothing of scripts and styles. */
export const openTextReader = () => {
  let text = ''
  let unreadName: string | undefined
  return {
    open(name: string) {
      if (unreadName !== undefined) return
      if (unread.has(name)) unreadName = name
      else if (blocks.has(name)) text += '\n'
    },
    close(name: string) {
      if (unreadName === name) unreadName = undefined
      else if (unreadName === undefined && blocks.has(name)) text += '\n'
    },
    /** An element without content, which hides nothing. */
    closeAtOnce(name: string) {
      if (unreadName === name) unreadName = undefined
    },
    text(more: string) {
      if (unreadName === undefined) text += more
    },
    /** The lines with something in them, each without spaces too many. */
    result: () =>
      text
        .split('\n')
        .map(line => line.replace(/\s+/g, ' ').trim())
        .filter(line => line !== '')
        .join('\n'),
  }
}

/** More than any article; what is beyond is not read. */
const maxMarkup = 300_000

/** The text of HTML, a line for each block. Works on tokens, so that no nesting is too deep. */
export const textOfHtml = (html: string): string => {
  const source = html.length > maxMarkup ? html.slice(0, maxMarkup) : html
  const reader = openTextReader()
  let name = ''
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true, recognizeSelfClosing: true },
    {
      ...silent,
      onopentagname(start, end) {
        name = source.slice(start, end).toLowerCase()
        reader.open(name)
      },
      onselfclosingtag: () => reader.closeAtOnce(name),
      onclosetag: (start, end) => reader.close(source.slice(start, end).toLowerCase()),
      ontext: (start, end) => reader.text(source.slice(start, end).replace(/\n/g, ' ')),
      ontextentity: code => reader.text(String.fromCodePoint(code)),
    },
  )
  tokenizer.write(source)
  tokenizer.end()
  return reader.result()
}
