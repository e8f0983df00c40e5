/** Text that Markdown would read as a mark, made plain (CommonMark §2.4). */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\\`*[\]<]|~(?=~)|&(?=#?\w{1,31};)/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')

/** The same for what would be a mark only where a line starts: headings, quotes, lists and rules. */
export const escapeLineStart = (line: string): string =>
  line
    .replace(/^(?:#{1,6}(?=\s|$)|>|[-+](?=\s|$)|={1,}$|-{2,}$)/, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')

/** An address as the target of a link; brackets and spaces in it would end it. */
export const target = (url: string): string =>
  /[()\s<>]/.test(url) ? `<${url.replace(/[<>\s]/g, encodeURIComponent)}>` : url

/** A fence of backticks longer than any in the text, and at least so long. */
export const fence = (text: string, minLength: number): string => {
  let maxRun = minLength - 1
  for (const [run] of text.matchAll(/`+/g)) maxRun = Math.max(maxRun, run.length)
  return '`'.repeat(maxRun + 1)
}
