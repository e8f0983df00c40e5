import { clean } from '../../text/clean.ts'
import { countCodePoints, cut } from '../../text/cut.ts'
import type { PageNode } from '../dom.ts'
import { type Content, iterateChildren } from '../element.ts'
import { extractor, type PageView } from '../extractor.ts'
import { readBase } from '../link.ts'
import { lookUp } from '../lookup.ts'
import { readMetaTags } from '../meta-tags.ts'
import { readLang, readTitle } from '../metadata.ts'
import { parsePage } from '../parse-page.ts'
import { plainText } from '../plain-text.ts'
import { readNodes, readPublication } from '../publication.ts'
import { removeUnseen } from '../unseen.ts'
import { countWords } from './count.ts'
import { readSource } from './inline.ts'
import { markdown } from './markdown.ts'

type Image = { url: string; alt: string | null }

const maxImages = 200

/** The images in an element, each address once, in order. */
const imagesIn = (content: Content, base: string): Image[] => {
  const images = new Map<string, Image>()
  const look = (node: Content) => {
    for (const child of iterateChildren(node)) {
      if (child.localName === 'img') {
        const url = readSource(child, base)
        if (url !== null && !images.has(url))
          images.set(url, { url, alt: clean(child.getAttribute('alt'), 500) })
      } else if (child.nodeType === 1) look(child)
    }
  }
  look(content)
  return [...images.values()]
}

export type ArticleOptions = { markdown: boolean }

export type Article = {
  title: string | null
  byline: string | null
  site_name: string | null
  published_time: string | null
  published_time_raw: string | null
  lang: string | null
  dir: 'ltr' | 'rtl' | null
  excerpt: string | null
  text: string
  markdown: string | null
  word_count: number
  char_count: number
  length: number
  reading_time_minutes: number
  images: Image[]
  image_count: number
  /** True when an article was found; else the text is that of the whole page. */
  is_readable: boolean
  truncated: boolean
}

/** Characters of text and of Markdown that are given. */
const maxLength = 2_000_000

/** Pages with more elements are not searched for an article. */
const maxElements = 100_000

/** Runs Readability; null when it finds nothing, or throws: on too many elements, on trees it did not think of. */
const search = async (document: PageNode, url: string, base: string) => {
  const { Readability } = await import('@mozilla/readability')
  Object.defineProperties(document, { baseURI: { value: base }, documentURI: { value: url } })
  const reader = new Readability(document as never, {
    maxElemsToParse: maxElements,
    keepClasses: true,
    serializer: node => node as unknown as Content,
  })
  try {
    return reader.parse()
  } catch {
    return null
  }
}

const readDir = (dir: string | null | undefined): Article['dir'] => {
  const value = dir?.trim().toLowerCase()
  return value === 'rtl' || value === 'ltr' ? value : null
}

const toContent = (content: Content, base: string, options: ArticleOptions) => {
  const whole = plainText(content)
  const marked = options.markdown ? markdown(content, base) : null
  const text = cut(whole, maxLength)
  const images = imagesIn(content, base)
  return {
    text,
    markdown: marked === null ? null : cut(marked, maxLength),
    ...countWords(text),
    char_count: countCodePoints(text),
    length: text.length,
    images: images.slice(0, maxImages),
    image_count: images.length,
    truncated: whole.length > maxLength || (marked?.length ?? 0) > maxLength || images.length > maxImages,
  }
}

/** The article of a page; null when there is none or it cannot be found. The document is used up. */
const extractArticle = async (
  { document, url, headers }: PageView,
  options: ArticleOptions,
): Promise<Article | null> => {
  const base = readBase(document, url)
  const html = document.querySelector('html')
  const fallback = { title: readTitle(document), lang: readLang(document, readMetaTags(document), headers) }
  // Looking for the article uses up the document.
  const publication = readPublication(lookUp(document), readMetaTags(document), readNodes(document), url)
  const article = await search(document, url, base)
  if (!article?.content) return null
  return {
    title: clean(article.title) ?? fallback.title,
    byline: publication.author ?? clean(article.byline, 300),
    site_name: clean(article.siteName, 300) ?? publication.publisher,
    published_time: publication.published_time,
    published_time_raw: publication.published_time_raw,
    lang: clean(article.lang, 35) ?? fallback.lang,
    dir: readDir(article.dir) ?? readDir(html?.getAttribute('dir')),
    excerpt: clean(article.excerpt),
    ...toContent(article.content, base, options),
    is_readable: true,
  }
}

/** All text of a page, for one in which no article is found. */
const wholePage = ({ document, url, headers }: PageView, options: ArticleOptions): Article => {
  const base = readBase(document, url)
  const html = document.querySelector('html')
  const publication = readPublication(lookUp(document), readMetaTags(document), readNodes(document), url)
  const content = toContent(document.querySelector('body') ?? document, base, options)
  return {
    title: readTitle(document),
    byline: publication.author,
    site_name: publication.publisher,
    published_time: publication.published_time,
    published_time_raw: publication.published_time_raw,
    lang: readLang(document, readMetaTags(document), headers),
    dir: readDir(html?.getAttribute('dir')),
    excerpt: clean(content.text, 300),
    ...content,
    is_readable: false,
  }
}

/** Readability can take minutes for a small page; the page is given up then. */
export const article = extractor(import.meta.url, 'article', extractArticle, { heavy: true })

export const whole = extractor(import.meta.url, 'whole', wholePage, { heavy: true })

/** The article in markup that was found at `url`, else all its text; what the page hides from people is left out on demand. */
export const readArticle = async (
  markup: string,
  url: string,
  options: ArticleOptions & { seenOnly?: boolean } = { markdown: false },
): Promise<Article> => {
  const view = async () => {
    const page = await parsePage(markup)
    if (options.seenOnly) removeUnseen(page.document)
    return { ...page, url, status: 200, headers: {}, markup }
  }
  return (await extractArticle(await view(), options)) ?? wholePage(await view(), options)
}
