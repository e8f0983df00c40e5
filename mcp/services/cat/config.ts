import { settings } from '../../kernel/setting.ts'
import { list } from '../../lib/setting-texts.ts'

export const catSettings = settings({
  partners: {
    variable: 'CAT_PARTNERS',
    schema: list,
    description: 'Path segments that tips are claimed under: /cat/api/{partner}/tip/claim.',
    default: 'partner',
    example: 'partner,friends',
  },
})
