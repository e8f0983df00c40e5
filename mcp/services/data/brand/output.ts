import { z } from 'zod'
import { logoSources } from './logo.ts'
import { bestSources } from './pick-icon.ts'

const text = (what: string) => z.string().nullable().describe(what)
const count = (what: string) => z.number().int().describe(what)
const countOrNull = (what: string) => z.number().int().nullable().describe(what)

const icon = z.object({
  href: text('Absolute address, or a data address; null for one over 4,096 characters'),
  rel: z.string().describe('Relation as it is written, in lower case'),
  sizes: text('Declared sizes, such as 32x32 or any'),
  type: text('Declared media type'),
  media: text('Media query it is for'),
  color: text('Colour of a mask icon'),
  inline: countOrNull('Characters of a data address; null for any other'),
  ok: z.boolean().nullable().describe('Whether it is an image; null when nobody looked or can tell'),
  width: countOrNull('Real width in pixels; null when nobody looked or can tell'),
  height: countOrNull('Real height in pixels'),
})

const manifest = z.object({
  url: z.string().describe('Where it was found'),
  name: text('Name'),
  short_name: text('Short name'),
  description: text('Description'),
  icons: z
    .array(
      z.object({
        src: z.string().describe('Absolute address'),
        sizes: text('Declared sizes'),
        type: text('Declared media type'),
        purpose: text('any, maskable, monochrome'),
      }),
    )
    .describe('Icons, at most 50'),
  icon_count: count('All icons'),
  theme_color: text('Theme colour'),
  background_color: text('Background colour'),
  display: text('Display mode'),
})

export const output = z.object({
  url: z.string().describe('The page, absolute'),
  final_url: z.string().describe('Where its redirects led'),
  status: count('HTTP status of the page'),
  site_name: text('Name of the site'),
  favicon: text('Icon that browsers show: a declared one, else /favicon.ico when it is an image'),
  apple_touch_icon: text('Declared, else at its usual place'),
  og_image: text('First OpenGraph image'),
  twitter_image: text('First image of the Twitter card'),
  logo: text('Logo by JSON-LD, microdata or og:logo, else the picture that looks like one'),
  logo_source: z.enum(logoSources).nullable().describe('What says that it is the logo'),
  theme_color: text('Theme colour of the page, else of its manifest'),
  theme_colors: z
    .array(
      z.object({ color: z.string().describe('Colour as written'), media: text('Media query it is for') }),
    )
    .describe('Theme colours with their media queries'),
  theme_color_count: count('Theme colours'),
  icons: z.array(icon).describe('Declared icons, each once, at most 50'),
  icon_count: count('All declared icons'),
  images: z.array(z.string()).describe('All preview images, OpenGraph first'),
  image_count: count('Preview images'),
  favicon_ico: z
    .object({
      url: z.string().describe('The address that was asked'),
      status: countOrNull('HTTP status; null without an answer'),
      ok: z.boolean().nullable().describe('Whether it is an image by its bytes; null when nobody can tell'),
      type: text('Format by its bytes'),
      sizes: z.array(z.string()).describe('Sizes in it'),
    })
    .describe('What is at /favicon.ico'),
  manifest: manifest.nullable().describe('Web application manifest; null without one that can be read'),
  mask_icon: z
    .object({ href: z.string().describe('Absolute address'), color: text('Its colour') })
    .nullable()
    .describe('Outline for pinned tabs'),
  msapplication: z
    .record(z.string(), z.string())
    .describe('Windows tiles, names without msapplication-, in lower case'),
  best: z
    .object({
      href: z.string().describe('Absolute address'),
      kind: z.enum(['vector', 'raster']).describe('Vector images are sharp at any size'),
      source: z.enum(bestSources).describe('What names it'),
      type: text('Media type'),
      size: countOrNull('Shorter side in pixels'),
      verified: z.boolean().describe('The file was looked at and is an image'),
      reason: z.string().describe('Why this one'),
    })
    .nullable()
    .describe('The icon to show for the brand; null without any'),
})
