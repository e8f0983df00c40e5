/** A network's least share of a stock, whatever others have: a thousandth. */
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
