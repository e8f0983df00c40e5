import type { Fetch } from '../../../ports/fetch/port.ts'
import { type DeclaredIcon, hasRel } from './declared-icons.ts'
import type { Manifest } from './manifest.ts'
import type { PageBrand } from './page-brand.ts'
import { type Best, pickBest, rankCandidates, toCandidates } from './pick-icon.ts'
import { type ImageProbe, probeAll } from './probe.ts'

/** Addresses that browsers and devices try when a page names no icon. */
const usual = {
  favicon: '/favicon.ico',
  touch: ['/apple-touch-icon.png', '/apple-touch-icon-precomposed.png'],
}

const limits = { declared: 3, best: 4, ms: 10_000 }

export type BrandIcons = {
  probes: ReadonlyMap<string, ImageProbe>
  favicon_ico: ImageProbe
  favicon: string | null
  apple_touch_icon: string | null
  best: Best | null
}

const isWeb = (href: string | null): href is string => href !== null && !href.startsWith('data:')

const webHrefs = (icons: readonly DeclaredIcon[]) => icons.flatMap(({ href }) => (isWeb(href) ? [href] : []))

/** The first that is there, else the first of which nobody knows. */
const findFirstPresent = (hrefs: readonly string[], probes: ReadonlyMap<string, ImageProbe>): string | null =>
  hrefs.find(href => href.startsWith('data:') || probes.get(href)?.ok === true) ??
  hrefs.find(href => probes.get(href)?.ok !== false) ??
  null

const findPresent = (hrefs: readonly string[], probes: ReadonlyMap<string, ImageProbe>): string | null =>
  hrefs.find(href => probes.get(href)?.ok === true) ?? null

/** Looks at the icons that count: the first that are named, the usual places, and the best for any size. */
export const lookAtIcons = async (
  fetch: Fetch,
  page: PageBrand,
  { manifest, url, signal }: { manifest: Manifest | null; url: string; signal: AbortSignal },
): Promise<BrandIcons> => {
  const deadlineSignal = AbortSignal.any([signal, AbortSignal.timeout(limits.ms)])
  const place = (path: string) => new URL(path, url).href
  const icons = page.icons.filter(icon => hasRel(icon, 'icon') && icon.href !== null)
  const touch = page.icons.filter(icon => hasRel(icon, 'apple-touch-icon', 'apple-touch-icon-precomposed'))
  const usualTouch = touch.length === 0 ? usual.touch.map(place) : []
  const candidates = toCandidates(page.icons, manifest?.icons ?? [])
  const favicon = place(usual.favicon)

  const probes = await probeAll(
    fetch,
    [
      favicon,
      ...webHrefs(icons).slice(0, limits.declared),
      ...webHrefs(touch).slice(0, limits.declared),
      ...usualTouch,
      ...rankCandidates(candidates)
        .map(({ href }) => href)
        .filter(isWeb)
        .slice(0, limits.best),
      ...(page.logo ? [page.logo.href] : []),
    ],
    deadlineSignal,
  )
  const faviconIco = probes.get(favicon) ?? {
    href: favicon,
    final_url: favicon,
    status: null,
    ok: null,
    image: null,
  }
  const extra = { type: null, isVector: false, size: null, isSquare: true, isMaskable: false }
  const usualIcons = [
    ...(faviconIco.ok ? [{ ...extra, href: favicon, source: 'favicon.ico' as const }] : []),
    ...usualTouch
      .filter(href => probes.get(href)?.ok)
      .map(href => ({ ...extra, href, source: 'apple-touch-icon' as const })),
  ]
  const logo = page.logo ? [{ ...extra, href: page.logo.href, source: 'logo' as const }] : []
  return {
    probes,
    favicon_ico: faviconIco,
    favicon:
      findFirstPresent(
        icons.flatMap(({ href }) => href ?? []),
        probes,
      ) ?? findPresent([favicon], probes),
    apple_touch_icon: findFirstPresent(webHrefs(touch), probes) ?? findPresent(usualTouch, probes),
    best: pickBest([...candidates, ...usualIcons], probes) ?? pickBest(logo, probes),
  }
}
