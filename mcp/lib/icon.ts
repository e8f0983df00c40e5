/** The mark of the house: the data of a path on a field of 16 by 16. */
const house = 'M5 0h6l5 5v6l-5 5H5l-5-5V5z'

/** A mark as SVG; without one of its own that of the house. */
export const iconSvg = (path = house): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#0f6466" d="${path}"/></svg>`

/** The mark of the house as an address, for what may load nothing else. */
export const iconUrl = `data:image/svg+xml,${encodeURIComponent(iconSvg())}`
