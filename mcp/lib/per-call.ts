/**
 * Work that is done once a call, by its context: where trying a call out tells its price as well, `check` refuses by it and `quote`
 * prices by it. A handler does it anew, since money has moved by then.
 */
export const perCall = <context extends object, input, result>(
  work: (ctx: context, input: input) => Promise<result>,
): ((ctx: context, input: input) => Promise<result>) => {
  const results = new WeakMap<object, Promise<result>>()
  return (ctx, input) => {
    const result = results.get(ctx) ?? work(ctx, input)
    results.set(ctx, result)
    return result
  }
}
