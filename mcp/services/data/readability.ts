import { z } from 'zod'
import { type Article, type ArticleOptions, article, whole } from '../../lib/page/article/article.ts'
import { countText } from '../../lib/text/count.ts'
import type { Ports } from '../../ports/ports.ts'
import { AddressInput, parseAddress, toHostname } from './address.ts'
import type { Note } from './meta.ts'
import { extract, type FetchedPage, notesOn, openPage } from './page/fetch-page.ts'
import { skill } from './skill.ts'

const text = (what: string) => z.string().nullable().describe(what)

const count = (what: string) => z.number().int().describe(what)

const noArticle: Note = {
  code: 'no_article',
  message: 'No article was found on the page; its whole text is given.',
}

type Reading = { result: Article; cut: string | null; notes: Note[] }

/**
 * The article, else the text of a page that has none. A search that does not end in its processor time throws: what a machine
 * has no time for is no answer, and all text of a page with an article would pass its menu off as one.
 */
const readArticle = async (
  workers: Ports['workers'],
  { task }: FetchedPage,
  options: ArticleOptions,
): Promise<Reading> => {
  const { result, cut } = await extract(workers, article, { ...task, options })
  if (result !== null) return { result, cut, notes: [] }
  const wholePage = await extract(workers, whole, { ...task, options })
  return { ...wholePage, notes: [noArticle] }
}

export default skill({
  id: 'readability',
  argument: 'url',
  price: '0.005',
  tags: ['web', 'article', 'text'],
  keywords: ['content', 'strip', 'body', 'mode', 'extract', 'print'],
  openWorld: true,
  cacheSec: 60,
  key: ({ url, markdown }) => [parseAddress(url), markdown],
  target: ({ url }) => toHostname(url),
  main: 'text',
  title: 'Read the article of a page',
  description:
    'Fetches a web page and returns its main article as clean text, without navigation and advertising, with title, author, date, language, word count, reading time and images; as Markdown on request. Use it to read a page. Free over A2A and MCP, else 0.005 USD.',
  input: z.object({
    url: AddressInput,
    markdown: z.boolean().default(false).describe('Give the article as Markdown too'),
  }),
  output: z.object({
    url: z.string().describe('The address that was asked for, absolute'),
    final_url: z.string().describe('Where the last redirect led'),
    status: count('HTTP status of the page'),
    title: text('Title of the article'),
    byline: text('Author as the page names them'),
    site_name: text('Name of the site'),
    published_time: text('When it was published, ISO 8601 UTC'),
    published_time_raw: text('The same as the page writes it'),
    lang: text('Language as the page or the server declares it'),
    dir: z.enum(['ltr', 'rtl']).nullable().describe('Direction of the text where the page declares it'),
    excerpt: text('Summary, else the first paragraph'),
    text: z.string().describe('The article; an empty line between paragraphs, tabs between cells'),
    markdown: text('The article as Markdown with absolute addresses; null unless asked for'),
    word_count: count('Words; scripts without spaces are cut as a dictionary does'),
    char_count: count('Characters of the text'),
    length: count('The same in UTF-16 code units, which after counts'),
    reading_time_minutes: count('Minutes to read it, rounded up'),
    images: z
      .array(z.object({ url: z.string().describe('Address, absolute'), alt: text('Text for it') }))
      .describe('Images of the article'),
    image_count: count('Number of images'),
    is_readable: z
      .boolean()
      .describe('False when no article was found and the text is all that the page has'),
    truncated: z.boolean().describe('True when the page or its text was cut'),
  }),
  needs: ['fetch', 'workers'],
  examples: [{ url: 'http://example.com/story' }],
  summary: ({ title, word_count: wordCount, reading_time_minutes: readingTimeMinutes }) =>
    `${title ?? 'Untitled'}: ${countText(wordCount, 'word')}, ${readingTimeMinutes} min.`,
}).run(async ({ signal, workers, fetch }, { url: input, markdown }) => {
  const url = parseAddress(input) ?? input
  const openedPage = await openPage({ fetch, workers }, url, { signal })
  const { fetched } = openedPage
  const { result, cut, notes } = await readArticle(workers, openedPage, { markdown })
  const about = notesOn(fetched, cut)
  const truncated = result.truncated || about.truncated
  return {
    url,
    final_url: fetched.url,
    status: fetched.status,
    ...result,
    truncated,
    about: { sources: [fetched.url], truncated, warnings: [...about.warnings, ...notes] },
  }
})
