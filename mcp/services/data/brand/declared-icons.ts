import type { Element } from '../../../lib/page/element.ts'
import { absolute } from '../../../lib/page/link.ts'
import { clean } from '../../../lib/text/clean.ts'

/** An icon that a page names. */
export type DeclaredIcon = {
  /** Absolute, or a data address; null for a longer one. */
  href: string | null
  rel: string
  sizes: string | null
  type: string | null
  media: string | null
  color: string | null
  /** Characters of a data address; null for others. */
  inline: number | null
}

const limits = { icons: 50, inline: 4096 }

const rels = new Set([
  'icon',
  'apple-touch-icon',
  'apple-touch-icon-precomposed',
  'mask-icon',
  'fluid-icon',
  'apple-touch-startup-image',
])

const readRel = (element: Element): string[] =>
  (element.getAttribute('rel') ?? '')
    .trim()
    .toLowerCase()
    .split(/\s+/, 20)
    .filter(word => word !== '')

type Place = Pick<DeclaredIcon, 'href' | 'inline'> & { dataType: string | null }

const resolveHref = (rawHref: string, base: string): Place | undefined => {
  const text = rawHref.trim()
  if (!/^data:image\//i.test(text)) {
    const href = absolute(text, base)
    return href === null ? undefined : { href, inline: null, dataType: null }
  }
  const dataType = clean(/^data:([\w.+/-]{1,60})/i.exec(text)?.[1]?.toLowerCase(), 60)
  return {
    href: text.length <= limits.inline ? clean(text, limits.inline) : null,
    inline: text.length,
    dataType,
  }
}

/** The icons that the `link` elements of a page name, each once, at most 50, and how many there are. */
export const readDeclared = (document: Element, base: string): { icons: DeclaredIcon[]; total: number } => {
  const icons = new Map<string, DeclaredIcon>()
  for (const link of document.querySelectorAll('link[rel][href]')) {
    const words = readRel(link)
    const place = words.some(word => rels.has(word))
      ? resolveHref(link.getAttribute('href') ?? '', base)
      : undefined
    if (!place) continue
    const { dataType, ...where } = place
    const icon = {
      ...where,
      rel: clean(words.join(' '), 100) ?? '',
      sizes: clean(link.getAttribute('sizes')?.toLowerCase(), 200),
      type: clean(link.getAttribute('type')?.toLowerCase(), 100) ?? dataType,
      media: clean(link.getAttribute('media'), 200),
      color: clean(link.getAttribute('color'), 50),
    }
    const key = JSON.stringify([icon.href ?? icon.inline, icon.rel, icon.sizes, icon.media])
    if (!icons.has(key)) icons.set(key, icon)
  }
  return { icons: [...icons.values()].slice(0, limits.icons), total: icons.size }
}

/** True when an icon stands for a page in a browser: `icon`, also as `shortcut icon`. */
export const hasRel = ({ rel }: Pick<DeclaredIcon, 'rel'>, ...words: string[]): boolean =>
  rel.split(' ').some(word => words.includes(word))
