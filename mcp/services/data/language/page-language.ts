import type { Element } from '../../../lib/page/element.ts'
import { extractor, type PageView } from '../../../lib/page/extractor.ts'
import { findLink, headerLink, readBase } from '../../../lib/page/link.ts'
import { clean } from '../../../lib/text/clean.ts'
import { type Alternate, readAlternates } from './alternates.ts'

/** A page's language and charset, as it states them; null where it says nothing. */
export type PageLanguage = {
  htmlLang: string | null
  xmlLang: string | null
  metaLang: string | null
  dir: string | null
  metaCharset: string | null
  /** Bytes before the `meta` that names the charset. */
  metaCharsetAt: number
  canonical: string | null
  alternates: Alternate[]
  total: number
}

const readHttpEquiv = (document: Element, name: string): string | null => {
  for (const meta of document.querySelectorAll('meta[http-equiv]'))
    if (meta.getAttribute('http-equiv')?.trim().toLowerCase() === name)
      return clean(meta.getAttribute('content'), 200)
  return null
}

const readCharset = (document: Element): string | null => {
  const charset = clean(document.querySelector('meta[charset]')?.getAttribute('charset'), 60)
  return (
    charset ??
    /charset\s{0,9}=\s{0,9}["']?([^\s;"']{1,60})/i.exec(readHttpEquiv(document, 'content-type') ?? '')?.[1] ??
    null
  )
}

const bytesBefore = (markup: string): number => {
  const at = markup.search(/<meta\s[^>]{0,200}charset/i)
  return at < 0 ? 0 : Buffer.byteLength(markup.slice(0, at))
}

const readDir = (document: Element): string | null => {
  const dir = document.querySelector('html')?.getAttribute('dir')?.trim().toLowerCase()
  return dir === 'ltr' || dir === 'rtl' || dir === 'auto' ? dir : null
}

/** Reads what a page declares, without a judgement. An empty attribute is an empty text. */
export const pageLanguage = extractor(
  import.meta.url,
  'pageLanguage',
  ({ document, url, headers, markup }: PageView): PageLanguage => {
    const base = readBase(document, url)
    const html = document.querySelector('html')
    const attribute = (name: string) => html?.getAttribute(name)?.trim().slice(0, 100) ?? null
    const metaCharset = readCharset(document)
    return {
      htmlLang: attribute('lang'),
      xmlLang: attribute('xml:lang'),
      metaLang: readHttpEquiv(document, 'content-language'),
      dir: readDir(document),
      metaCharset,
      metaCharsetAt: metaCharset === null ? 0 : bytesBefore(markup),
      canonical: findLink(document, ['canonical'], base) ?? headerLink(headers.link, 'canonical', url),
      ...readAlternates(document, base, { url, headers, markup }),
    }
  },
  { ms: 6000 },
)
