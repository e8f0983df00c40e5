import { checkIfBazaarNeeded, type x402HTTPResourceServer } from '@x402/core/server'

/**
 * Registers the discovery extension where a route declares it, as the stock middleware does. It is in `@x402/extensions`, which a
 * seller who declares it has; without that package the declaration is sent as it is, and a warning says so.
 */
export const openBazaar = ({ routes, server }: x402HTTPResourceServer): Promise<void> => {
  if (!checkIfBazaarNeeded(routes)) return Promise.resolve()
  return import('@x402/extensions/bazaar')
    .then(({ bazaarResourceServerExtension, validateBazaarRouteExtensions }) => {
      if (!server.hasExtension('bazaar')) server.registerExtension(bazaarResourceServerExtension)
      validateBazaarRouteExtensions(routes)
    })
    .catch((error: unknown) => {
      process.emitWarning(
        `The bazaar extension of paid routes is not enriched: ${error instanceof Error ? error.message : error}`,
        { code: 'OCTAGENT_BAZAAR' },
      )
    })
}
