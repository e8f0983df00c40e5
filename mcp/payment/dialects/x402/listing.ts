import type { Charge } from '../../charge.ts'
import type { CatalogueListing } from '../../method.ts'
import { bazaarOverHttp } from './bazaar.ts'

/**
 * How catalogues may list a paid tool, told at its settlement: at the address that takes it as JSON, whatever transport the call
 * came by, since a catalogue has no place for others. Undefined where that is not on the open web.
 */
export const toListing = ({
  service,
  tool,
  address,
}: Pick<Charge, 'service' | 'tool' | 'address'>): CatalogueListing | undefined => {
  if (!address?.startsWith('https://')) return undefined
  const { description } = tool
  return {
    resource: { url: address, description, mimeType: 'application/json', serviceName: service.name },
    extensions: { bazaar: bazaarOverHttp(tool, 'POST') },
  }
}
