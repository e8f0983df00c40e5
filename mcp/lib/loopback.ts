/** Names and addresses by which a machine calls itself, as the host name of a URL. */
export const isLoopbackName = (name: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(name)
