/** A point on the earth, in degrees. */
export type Point = { lat: number; lng: number }

const earthMetres = 6_371_000
const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** The way between two points along the surface, in metres (haversine). */
export const distanceMetres = (one: Point, other: Point): number => {
  const [dLat, dLng] = [radians(other.lat - one.lat), radians(other.lng - one.lng)]
  const h =
    Math.sin(dLat / 2) ** 2 +
    Math.cos(radians(one.lat)) * Math.cos(radians(other.lat)) * Math.sin(dLng / 2) ** 2
  return 2 * earthMetres * Math.asin(Math.min(1, Math.sqrt(h)))
}

/** Rows from south to north in each of which places are kept by longitude: 11 km, and 1.1 km for where there are many. */
const rowsPerDegree = { coarse: 10, fine: 100 } as const

export type RowSize = keyof typeof rowsPerDegree

/** The row of a latitude. */
export const placeRow = (lat: number, size: RowSize): number => Math.floor(lat * rowsPerDegree[size])

/** The longitudes of a box: two pieces where it passes the date line. */
const toRanges = (west: number, east: number): { gte: number; lte: number }[] => {
  if (east - west >= 360) return [{ gte: -180, lte: 180 }]
  if (west < -180)
    return [
      { gte: west + 360, lte: 180 },
      { gte: -180, lte: east },
    ]
  if (east > 180)
    return [
      { gte: west, lte: 180 },
      { gte: -180, lte: east - 360 },
    ]
  return [{ gte: west, lte: east }]
}

/** The box around a circle: rows, and in each the longitudes; all of them near a pole. */
export const boxAround = ({ lat, lng }: Point, metres: number, size: RowSize) => {
  const dLat = (metres / earthMetres) * (180 / Math.PI)
  const [south, north] = [Math.max(-90, lat - dLat), Math.min(90, lat + dLat)]
  const first = placeRow(south, size)
  const rows = Array.from({ length: placeRow(north, size) - first + 1 }, (_, n) => first + n)
  const narrow = Math.cos(radians(Math.max(Math.abs(south), Math.abs(north))))
  const dLng = narrow < 0.01 ? 180 : Math.min(180, dLat / narrow)
  return { rows, ranges: toRanges(lng - dLng, lng + dLng) }
}
