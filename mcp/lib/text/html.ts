const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it may stand in HTML, also within a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, character => entities[character] ?? '')

/** A piece of HTML in which every stranger's word is escaped. */
export type Html = { readonly html: string }

type Value = Html | string | number | false | null | undefined | readonly Value[]

const toText = (value: Value): string => {
  if (value === false || value === null || value === undefined) return ''
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  return 'html' in value ? value.html : value.map(toText).join('')
}

/** Builds HTML: what stands between the braces is escaped, unless it was built here itself. */
export const html = (literals: TemplateStringsArray, ...values: readonly Value[]): Html => ({
  html: literals.map((literal, n) => literal + toText(values[n])).join(''),
})
