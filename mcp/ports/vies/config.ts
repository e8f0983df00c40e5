import { settings } from '../../kernel/setting.ts'
import { absoluteUrl } from '../../lib/setting-texts.ts'

export const viesSettings = settings({
  url: {
    variable: 'OCTAGENT_VIES_URL',
    schema: absoluteUrl,
    description: 'REST API of VIES, which is asked about EU VAT numbers.',
    default: 'https://ec.europa.eu/taxation_customs/vies/rest-api',
  },
})
