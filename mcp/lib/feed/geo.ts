import { childrenOf, elementsOf, type Node, textIn } from './tree.ts'

const pointIn = (text: string | undefined): [number, number] | undefined => {
  const [lat, lon] = (text ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  return lat !== undefined && lon !== undefined ? [lat, lon] : undefined
}

const deepText = (node: Node, name: string, levels: number): string | undefined => {
  for (const child of elementsOf(node)) {
    if (child.name === name) return textIn(child)
    const found = levels > 0 ? deepText(child, name, levels - 1) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** The place of an item: GeoRSS (simple or GML) or the W3C vocabulary, as decimal degrees; null when there is none. */
export const geoOf = (node: Node): { lat: number; lon: number } | null => {
  const text = (name: string) => childrenOf(node, name).map(textIn)[0]
  const point = childrenOf(node, 'geo:point')[0]
  const holder = point ?? node
  const [latitude, longitude] = ['geo:lat', 'geo:long'].map(name => childrenOf(holder, name).map(textIn)[0])
  const where = childrenOf(node, 'georss:where')[0]
  const found =
    pointIn(text('georss:point')) ??
    pointIn(where && deepText(where, 'gml:pos', 2)) ??
    (latitude && longitude ? pointIn(`${latitude} ${longitude}`) : undefined)
  if (!found) return null
  const [lat, lon] = found
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null
}
