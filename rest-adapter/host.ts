/** A Host header as a name: lower case, without port. Empty when it is no host and port. */
export const hostName = (host: string): string =>
  /^(\[[\da-f:.]+\]|[^:@/[\]]+)(?::\d*)?$/i.exec(host)?.[1]?.toLowerCase() ?? ''

/** Names and addresses by which a machine calls itself. */
export const isLoopback = (name: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(name)

/** The host and port of a web origin; undefined for "null" and for anything but http and https. */
export const originHost = (origin: string): string | undefined => /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]
