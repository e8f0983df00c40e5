import { childElements, childrenNamed, type Node, textIn } from './tree.ts'

const pointIn = (text: string | undefined): [number, number] | undefined => {
  const [lat, lon] = (text ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  return lat !== undefined && lon !== undefined ? [lat, lon] : undefined
}

const deepText = (node: Node, name: string, levels: number): string | undefined => {
  for (const child of childElements(node)) {
    if (child.name === name) return textIn(child)
    const nested = levels > 0 ? deepText(child, name, levels - 1) : undefined
    if (nested !== undefined) return nested
  }
  return undefined
}

/** The place of an item: GeoRSS (simple or GML) or the W3C vocabulary, as decimal degrees; null when there is none. */
export const readGeo = (node: Node): { lat: number; lon: number } | null => {
  const text = (name: string) => childrenNamed(node, name).map(textIn)[0]
  const point = childrenNamed(node, 'geo:point')[0]
  const holder = point ?? node
  const [latitude, longitude] = ['geo:lat', 'geo:long'].map(
    name => childrenNamed(holder, name).map(textIn)[0],
  )
  const where = childrenNamed(node, 'georss:where')[0]
  const coordinates =
    pointIn(text('georss:point')) ??
    pointIn(where && deepText(where, 'gml:pos', 2)) ??
    (latitude && longitude ? pointIn(`${latitude} ${longitude}`) : undefined)
  if (!coordinates) return null
  const [lat, lon] = coordinates
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null
}
