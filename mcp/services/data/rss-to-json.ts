import { z } from 'zod'
import { countText } from '../../lib/text/count.ts'
import { AddressInput, parseAddress, toHostname } from './address.ts'
import { type FeedResult, findFeed } from './feed/find-feed.ts'
import type { Note } from './meta.ts'
import { skill } from './skill.ts'

const text = (what: string) => z.string().nullable().describe(what)

const Items = z
  .array(
    z.object({
      title: text('Title as plain text'),
      link: text('Page of the item, absolute'),
      date: text('When it was published, else changed; ISO 8601 UTC'),
      date_raw: text('That date as the feed writes it'),
      updated: text('When it was last changed, ISO 8601 UTC'),
      summary: text('Summary as plain text, else the beginning of the content'),
      content: text('Whole content as plain text, a line for each block').optional(),
      author: text('Who wrote it'),
      id: text('Its id in the feed'),
      categories: z.array(z.string()).describe('Categories and tags'),
      enclosures: z
        .array(
          z.object({
            url: z.string().describe('Address, absolute'),
            type: text('Media type'),
            length: z.number().int().nullable().describe('Bytes'),
            title: text('Its title as plain text'),
            description: text('What is said of it (Media RSS), as plain text'),
          }),
        )
        .describe('Files that come with it, such as the audio of a podcast'),
      image: text('Picture, absolute'),
      geo: z
        .object({ lat: z.number().describe('Latitude'), lon: z.number().describe('Longitude') })
        .nullable()
        .describe('Place in decimal degrees'),
    }),
  )
  .describe('The items in the order of the feed')

const notesOn = ({ feed, truncated }: FeedResult, limit: number): Note[] => {
  const notes: Note[] = []
  if (truncated || feed.cut)
    notes.push({ code: 'feed_cut', message: 'The feed is too long or breaks off; what came first was read.' })
  if (feed.total > limit)
    notes.push({ code: 'limited', message: `The first ${limit} of ${feed.total} items are listed.` })
  if (feed.duplicates > 0)
    notes.push({
      code: 'duplicates',
      message: `Left out as repeated: ${countText(feed.duplicates, 'item')}.`,
    })
  return notes
}

export default skill({
  id: 'rss-to-json',
  argument: 'url',
  price: '0.003',
  tags: ['web', 'feed', 'rss', 'atom', 'news', 'podcast'],
  keywords: ['posts', 'parse', 'latest', 'entries', 'channel', 'updates'],
  openWorld: true,
  cacheSec: 120,
  key: ({ url, limit, content }) => [parseAddress(url), limit, content],
  target: ({ url }) => toHostname(url),
  main: 'items',
  title: 'Read a feed as JSON',
  description:
    'Reads an RSS, Atom, RDF or JSON feed, or finds the feed of a web page, and returns its items with title, link, date in UTC, plain-text summary, author, categories and enclosures. Use it for news, blogs and podcasts. Free over A2A and MCP, else 0.003 USD.',
  input: z.object({
    url: AddressInput.describe('URL of a feed, or of a page that names one'),
    limit: z.number().int().min(1).max(500).default(50).describe('Most items to list'),
    content: z.boolean().default(false).describe('Also the whole content of each item, as text'),
  }),
  output: z.object({
    url: z.string().describe('The address that was asked for, absolute'),
    feed_url: z.string().describe('Where the feed was found'),
    format: z.string().describe('Such as rss 2.0, rss 1.0, atom 1.0, json 1.1'),
    title: text('Title of the feed'),
    link: text('Page that the feed is about, absolute'),
    description: text('What the feed says about itself'),
    lang: text('Language as the feed declares it'),
    updated: text('When the feed was last changed, ISO 8601 UTC'),
    items: Items,
    count: z.number().int().describe('Items listed before paging'),
    total_items: z.number().int().describe('Items in the feed'),
  }),
  needs: ['fetch', 'workers'],
  examples: [{ url: 'https://example.com/feed.xml' }, { url: 'example.com', limit: 1, content: true }],
  summary: ({ title, feed_url: feedUrl, total_items: totalItems }) =>
    `${title ?? feedUrl} has ${countText(totalItems, 'item')}.`,
}).run(async (reach, { url: input, limit, content }) => {
  const url = parseAddress(input) ?? input
  const result = await findFeed(reach, url, { limit, content })
  const { total, duplicates, cut, items, ...head } = result.feed
  return {
    url,
    feed_url: result.feed_url,
    ...head,
    items,
    count: items.length,
    total_items: total,
    about: {
      sources: [result.feed_url],
      warnings: notesOn(result, limit),
      truncated: result.truncated || cut || total > limit,
    },
  }
})
