import { type DeclaredIcon, hasRel } from './declared-icons.ts'
import type { ManifestIcon } from './manifest.ts'
import type { ImageProbe } from './probe.ts'

export const bestSources = ['icon', 'apple-touch-icon', 'manifest', 'favicon.ico', 'logo'] as const

/** An icon that may stand for the brand. */
export type Candidate = {
  href: string
  source: (typeof bestSources)[number]
  type: string | null
  isVector: boolean
  /** Shorter side in pixels; null when nobody says. */
  size: number | null
  isSquare: boolean
  /** Cut to a shape of the device: its edges may be missing. */
  isMaskable: boolean
}

export type Best = Pick<Candidate, 'href' | 'source' | 'type' | 'size'> & {
  kind: 'vector' | 'raster'
  /** True when the file was looked at and is an image. */
  verified: boolean
  reason: string
}

const vector = (href: string, type: string | null): boolean =>
  /svg/i.test(type ?? '') || /^data:image\/svg/i.test(href) || /\.svgz?(?:[?#]|$)/i.test(href)

/** The largest of sizes such as `16x16 32x32`; `any` says nothing of pixels. */
const parseLargestSize = (sizes: string | null): { size: number; isSquare: boolean } | undefined =>
  [...(sizes ?? '').matchAll(/(\d{1,5})x(\d{1,5})/g)]
    .map(([, width, height]) => ({
      size: Math.min(Number(width), Number(height)),
      isSquare: width === height,
    }))
    .sort((a, b) => b.size - a.size)[0]

const candidate = (
  href: string,
  source: Candidate['source'],
  { type, sizes, isMaskable = false }: { type: string | null; sizes: string | null; isMaskable?: boolean },
): Candidate => {
  const declaredSize = parseLargestSize(sizes)
  return {
    href,
    source,
    type,
    isVector: vector(href, type),
    size: declaredSize?.size ?? null,
    isSquare: declaredSize?.isSquare ?? true,
    isMaskable,
  }
}

/** All icons that may stand for the brand; outlines of one colour and start screens may not. */
export const toCandidates = (
  icons: readonly DeclaredIcon[],
  manifest: readonly ManifestIcon[],
): Candidate[] => [
  ...icons.flatMap(icon => {
    if (icon.href === null || hasRel(icon, 'mask-icon', 'apple-touch-startup-image')) return []
    const isTouch = hasRel(icon, 'apple-touch-icon', 'apple-touch-icon-precomposed')
    return [candidate(icon.href, isTouch ? 'apple-touch-icon' : 'icon', icon)]
  }),
  ...manifest.flatMap(({ src, purpose, ...icon }) => {
    const purposes = (purpose ?? 'any').split(/\s+/)
    if (!purposes.includes('any') && !purposes.includes('maskable')) return []
    return [candidate(src, 'manifest', { ...icon, isMaskable: !purposes.includes('any') })]
  }),
]

/** Usual measure of an icon of unknown size. */
const usual: Readonly<Record<Candidate['source'], number>> = {
  'apple-touch-icon': 180,
  manifest: 192,
  icon: 32,
  'favicon.ico': 32,
  logo: 1,
}

const score = ({ isVector, size, source, isSquare, isMaskable }: Candidate): number => {
  const pixels = isVector ? 100_000 : (size ?? usual[source])
  return pixels * (isSquare ? 1 : 0.5) * (isMaskable ? 0.6 : 1)
}

/** The best first. */
export const rankCandidates = (candidates: readonly Candidate[]): Candidate[] =>
  [...candidates].sort((a, b) => score(b) - score(a))

/** A candidate as the file itself shows it. */
const applyProbe = (one: Candidate, probe: ImageProbe | undefined): Candidate => {
  if (!probe?.image) return one
  const { type, width, height } = probe.image
  const isVector = type === 'image/svg+xml'
  const hasSize = width !== null && height !== null
  const size = hasSize ? Math.min(width, height) : isVector ? null : one.size
  return { ...one, type, isVector, size, isSquare: hasSize ? width === height : one.isSquare }
}

const explainChoice = ({ isVector, size, isSquare, source }: Candidate, isOnly: boolean): string => {
  if (source === 'logo') return 'There is no icon; this is the logo that the page names.'
  if (isVector) return 'A vector image, sharp at any size.'
  const what = `${isSquare ? 'square ' : ''}icon${size === null ? ', of unknown size' : `, ${size} pixels`}`
  return isOnly ? `The only ${what}.` : `The largest ${what}.`
}

/** The best icon that is not known to be missing. */
export const pickBest = (
  candidates: readonly Candidate[],
  probes: ReadonlyMap<string, ImageProbe>,
): Best | null => {
  const reachable = candidates.filter(({ href }) => probes.get(href)?.ok !== false)
  const ranking = rankCandidates(reachable.map(one => applyProbe(one, probes.get(one.href))))
  const best = ranking.find(({ href }) => isSure(href, probes)) ?? ranking[0]
  if (!best) return null
  const { href, source, type, size, isVector } = best
  const isOnly = new Set(ranking.map(({ href }) => href)).size === 1
  return {
    href,
    kind: isVector ? 'vector' : 'raster',
    source,
    type,
    size,
    verified: probes.get(href)?.ok === true,
    reason: explainChoice(best, isOnly),
  }
}

const isSure = (href: string, probes: ReadonlyMap<string, ImageProbe>) =>
  href.startsWith('data:') || probes.get(href)?.ok === true
