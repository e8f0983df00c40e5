import type { Element } from '../../../lib/page/element.ts'
import { extractor, type PageView } from '../../../lib/page/extractor.ts'
import { absolute, findLink, readBase } from '../../../lib/page/link.ts'
import { firstValue, type MetaTags, readMetaTags } from '../../../lib/page/meta-tags.ts'
import { clean } from '../../../lib/text/clean.ts'
import { type DeclaredIcon, readDeclared } from './declared-icons.ts'
import { type Logo, readLogo } from './logo.ts'

export type ThemeColor = { color: string; media: string | null }

/** A page's claims about its brand; addresses are absolute. */
export type PageBrand = {
  icons: DeclaredIcon[]
  total: number
  manifest: string | null
  theme_colors: ThemeColor[]
  msapplication: Record<string, string>
  ogImages: string[]
  twitterImages: string[]
  logo: Logo | null
  site_name: string | null
}

const maxEntries = 20

const readThemeColors = (document: Element): ThemeColor[] =>
  [...document.querySelectorAll('meta[name][content]')]
    .filter(meta => meta.getAttribute('name')?.trim().toLowerCase() === 'theme-color')
    .slice(0, maxEntries)
    .flatMap(meta => {
      const color = clean(meta.getAttribute('content'), 100)
      return color === null ? [] : [{ color, media: clean(meta.getAttribute('media'), 200) }]
    })

const prefix = 'msapplication-'

/** Names of Windows tiles that hold an address. */
const isAddress = (name: string) => /image|logo|config$/.test(name)

const readTiles = (tags: MetaTags, base: string): Record<string, string> =>
  Object.fromEntries(
    [...tags].slice(0, 500).flatMap(([name, [value = '']]) => {
      if (!name.startsWith(prefix) || name.length === prefix.length) return []
      const content = isAddress(name) ? absolute(value, base) : value
      return content === null ? [] : [[name.slice(prefix.length), content] as const]
    }),
  )

const collectImages = (tags: MetaTags, base: string, names: readonly string[]): string[] => {
  const all = names.flatMap(name => tags.get(name) ?? []).flatMap(href => absolute(href, base) ?? [])
  return [...new Set(all)].slice(0, maxEntries)
}

export const pageBrand = extractor(
  import.meta.url,
  'pageBrand',
  ({ document, url }: PageView): PageBrand => {
    const base = readBase(document, url)
    const tags = readMetaTags(document)
    return {
      ...readDeclared(document, base),
      manifest: findLink(document, ['manifest'], base),
      theme_colors: readThemeColors(document),
      msapplication: readTiles(tags, base),
      ogImages: collectImages(tags, base, ['og:image', 'og:image:url', 'og:image:secure_url']),
      twitterImages: collectImages(tags, base, ['twitter:image', 'twitter:image:src']),
      logo: readLogo(document, base),
      site_name: firstValue(tags, 'og:site_name', 'application-name', 'apple-mobile-web-app-title'),
    }
  },
  { heavy: true, ms: 6000 },
)
