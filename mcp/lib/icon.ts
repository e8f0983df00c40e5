/** The mark of the house, as SVG. */
export const iconSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#0f6466" d="M5 0h6l5 5v6l-5 5H5l-5-5V5z"/></svg>'

/** The same as an address, for what may load nothing else. */
export const iconUrl = `data:image/svg+xml,${encodeURIComponent(iconSvg)}`
