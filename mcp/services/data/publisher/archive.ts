/** The address that a copy in an archive stands for: `https://web.archive.org/web/2020…/https://…`. Null where none is named. */
export const findOriginal = (url: string): string | null => {
  const { pathname, search, hash } = new URL(url)
  const embeddedUrl = /\/(https?:\/{1,2}[^\s]{4,2000})$/i.exec(`${pathname}${search}${hash}`)?.[1]
  if (!embeddedUrl) return null
  const full = embeddedUrl.replace(/^(https?:)\/{1,2}/i, '$1//')
  return URL.canParse(full) ? new URL(full).href : null
}
