import { z } from 'zod'

const text = (what: string) => z.string().nullable().describe(what)

export const Items = z
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
