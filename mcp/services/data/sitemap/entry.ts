/** One address of a sitemap, as it stands there. */
export type SitemapEntry = {
  loc: string
  lastmod: string | null
  changefreq: string | null
  priority: string | null
  alternates: { lang: string; href: string }[]
  images: number
  videos: number
}

export const blankEntry = (): SitemapEntry => ({
  loc: '',
  lastmod: null,
  changefreq: null,
  priority: null,
  alternates: [],
  images: 0,
  videos: 0,
})
