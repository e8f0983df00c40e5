import { z } from 'zod'
import { AddressInput, parseAddress, toHostname } from './address.ts'
import { hasRel } from './brand/declared-icons.ts'
import { lookAtIcons } from './brand/icons.ts'
import { fetchManifest } from './brand/manifest.ts'
import { output } from './brand/output.ts'
import { pageBrand } from './brand/page-brand.ts'
import { visit } from './page/fetch-page.ts'
import { skill } from './skill.ts'

/** Pages that people made are far smaller. */
const maxNodes = 100_000

export default skill({
  id: 'brand-assets',
  argument: 'url',
  price: '0.003',
  tags: ['web', 'brand', 'favicon', 'logo'],
  keywords: ['app', 'company', 'resolution', 'high', 'png', 'apple'],
  openWorld: true,
  partial: true,
  cacheSec: 60,
  key: ({ url }) => parseAddress(url),
  target: ({ url }) => toHostname(url),
  main: 'icons',
  title: 'Find the icons, logo and colours of a site',
  description:
    'Returns the favicon, touch icon, logo, preview images, theme colours, manifest and all declared icons of a page, checks the files by their bytes and picks the best one to show. Free over A2A and MCP, else 0.003 USD.',
  input: z.object({ url: AddressInput }),
  output,
  needs: ['fetch', 'workers'],
  examples: [{ url: 'http://example.com/' }],
  summary: ({ final_url: finalUrl, best }) =>
    best === null ? `${finalUrl} has no icon.` : `The icon of ${finalUrl} is ${best.href.slice(0, 200)}.`,
}).run(async ({ signal, ...ports }, { url: input }) => {
  const url = parseAddress(input) ?? input
  const pageVisit = await visit(ports, url, pageBrand, { options: {}, mostNodes: maxNodes, signal })
  const { fetched, result: page } = pageVisit
  const { manifest, notes } = await fetchManifest(ports.fetch, page.manifest, signal)
  const icons = await lookAtIcons(ports.fetch, page, { manifest, url: fetched.url, signal })
  const { probes, favicon_ico: faviconIco, favicon, apple_touch_icon: appleTouchIcon, best } = icons

  const images = [...new Set([...page.ogImages, ...page.twitterImages])]
  const mask = page.icons.find(icon => hasRel(icon, 'mask-icon') && icon.href !== null)
  const plainColor = page.theme_colors.find(({ media }) => media === null) ?? page.theme_colors[0]
  return {
    url,
    final_url: fetched.url,
    status: fetched.status,
    site_name: page.site_name,
    favicon,
    apple_touch_icon: appleTouchIcon,
    og_image: page.ogImages[0] ?? null,
    twitter_image: page.twitterImages[0] ?? null,
    logo: page.logo?.href ?? null,
    logo_source: page.logo?.source ?? null,
    theme_color: plainColor?.color ?? manifest?.theme_color ?? null,
    theme_colors: page.theme_colors,
    theme_color_count: page.theme_colors.length,
    icons: page.icons.map(icon => {
      const probe = probes.get(icon.href ?? '')
      const { width = null, height = null } = probe?.image ?? {}
      return { ...icon, ok: probe?.ok ?? null, width, height }
    }),
    icon_count: page.total,
    images,
    image_count: images.length,
    favicon_ico: {
      url: faviconIco.href,
      status: faviconIco.status,
      ok: faviconIco.ok,
      type: faviconIco.image?.type ?? null,
      sizes: faviconIco.image?.sizes ?? [],
    },
    manifest,
    mask_icon: mask?.href ? { href: mask.href, color: mask.color } : null,
    msapplication: page.msapplication,
    best,
    about: {
      sources: [fetched.url, ...(manifest ? [manifest.url] : [])],
      warnings: [...pageVisit.warnings, ...notes],
      truncated: pageVisit.truncated || page.total > page.icons.length,
    },
  }
})
