/** The network of an address: the /24 of an IPv4 address, mapped or not, the /48 of an IPv6 one. */
export const toNetwork = (client: string): string => {
  const four = /(?:^|:)(\d+\.\d+\.\d+)\.\d+$/.exec(client)
  if (four) return `${four[1]}.0/24`
  if (!client.includes(':')) return client
  const [head = '', tail] = (client.split(/[%/]/)[0] ?? '').toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0')
  return `${[...groups, ...zeros, ...rest].slice(0, 3).join(':')}::/48`
}

/** What a network may have of a stock, whatever others have: a thousandth. */
export const minShare = (all: number): number => Math.ceil(all / 1000)

/**
 * True when somebody who has `own` of `all` may have one more, of which `used` are used: nobody has more than is left for others
 * (dynamic thresholds, Choudhury and Hahne 1998). One alone gets half, two a third each; whoever has most is refused first, and somebody new
 * finds room. `min` is granted beyond that.
 */
export const isWithinShare = (
  { own, used, all }: { own: number; used: number; all: number },
  min = 0,
): boolean => own < Math.max(min, all - used)
