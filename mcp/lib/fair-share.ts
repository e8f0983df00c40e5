/** The network that an address belongs to, as shares count it: the /24 of IPv4, the /48 of IPv6. Anything else is its own network. */
export const toNetwork = (address: string): string => {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address)) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`
  if (!address.includes(':')) return address
  const [head = ''] = address.split('/')[0]?.split('::') ?? []
  const groups = [...head.split(':').filter(group => group !== ''), '0', '0', '0'].slice(0, 3)
  return `${groups.join(':')}::/48`
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
