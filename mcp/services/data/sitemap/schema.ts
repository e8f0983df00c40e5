import { z } from 'zod'
import { frequencies } from './entry-url.ts'

const text = (what: string) => z.string().nullable().describe(what)

export const Sitemaps = z
  .array(
    z.object({
      url: z.string().describe('Where it lies'),
      type: z.enum(['index', 'urlset', 'text', 'rss', 'atom']).nullable().describe('Null: no sitemap'),
      status: z.number().int().nullable().describe('HTTP status; null for no answer'),
      urls: z.number().int().describe('URLs in it, without those of the sitemaps it names'),
      error: text('Why it could not be read'),
    }),
  )
  .describe('The sitemaps in the order they were read')

export const Urls = z
  .array(
    z.object({
      loc: z.string().describe('Address, absolute'),
      lastmod: text('Last change, ISO 8601: a day, or a time in UTC'),
      lastmod_raw: z.string().optional().describe('The same as written, where that differs'),
      changefreq: z.enum(frequencies).nullable().describe('How often it changes'),
      priority: z.number().nullable().describe('0 to 1, as the site sees it'),
      alternates: z
        .array(
          z.object({
            lang: z.string().describe('Language tag or x-default'),
            href: z.string().describe('Address, absolute'),
          }),
        )
        .optional()
        .describe('The page in other languages'),
      images: z.number().int().optional().describe('Images listed with it'),
      videos: z.number().int().optional().describe('Videos listed with it'),
    }),
  )
  .describe('The URLs in the order of the sitemaps')
