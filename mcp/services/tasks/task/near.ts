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

/**
 * The box around a circle: rows of a tenth of a degree, and in each the longitudes, in two pieces where it passes the date line
 * and all of them near a pole.
 */
export const boxAround = ({ lat, lng }: Point, metres: number) => {
  const dLat = (metres / earthMetres) * (180 / Math.PI)
  const [south, north] = [Math.max(-90, lat - dLat), Math.min(90, lat + dLat)]
  const first = Math.floor(south * 10)
  const rows = Array.from({ length: Math.floor(north * 10) - first + 1 }, (_, n) => first + n)
  const narrow = Math.cos(radians(Math.max(Math.abs(south), Math.abs(north))))
  const dLng = narrow < 0.01 ? 180 : Math.min(180, dLat / narrow)
  const [west, east] = [lng - dLng, lng + dLng]
  if (east - west >= 360) return { rows, ranges: [{ gte: -180, lte: 180 }] }
  if (west < -180)
    return {
      rows,
      ranges: [
        { gte: west + 360, lte: 180 },
        { gte: -180, lte: east },
      ],
    }
  if (east > 180)
    return {
      rows,
      ranges: [
        { gte: west, lte: 180 },
        { gte: -180, lte: east - 360 },
      ],
    }
  return { rows, ranges: [{ gte: west, lte: east }] }
}
