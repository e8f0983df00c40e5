/** The path and query that a caller means, percent-encoded as crawlers ask for it: of a URL, a path, or a path without `/`. */
export const pathIn = (text: string): string => {
  const trimmed = text.trim()
  const isUrl = /^https?:\/\//i.test(trimmed)
  const full = isUrl ? trimmed : `http://host/${trimmed.replace(/^\//, '')}`
  if (!URL.canParse(full)) return '/'
  const { pathname, search } = new URL(full)
  return pathname + search
}
