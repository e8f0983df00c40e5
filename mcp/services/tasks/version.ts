/** Version of the marketplace, as its card and its API tell it. */
export const version = '0.1.0'
