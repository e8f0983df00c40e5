import { type Labelled, labelled } from './labelled.ts'
import { eighthLabelled } from './labelled-eighth.ts'
import { eleventhLabelled } from './labelled-eleventh.ts'
import { fifthLabelled } from './labelled-fifth.ts'
import { fourteenthLabelled } from './labelled-fourteenth.ts'
import { fourthLabelled } from './labelled-fourth.ts'
import { ninthLabelled } from './labelled-ninth.ts'
import { secondLabelled } from './labelled-second.ts'
import { seventhLabelled } from './labelled-seventh.ts'
import { sixthLabelled } from './labelled-sixth.ts'
import { tenthLabelled } from './labelled-tenth.ts'
import { thirdLabelled } from './labelled-third.ts'
import { thirteenthLabelled } from './labelled-thirteenth.ts'
import { twelfthLabelled } from './labelled-twelfth.ts'

/** All labelled sets, by name. */
export const labelledSets: readonly [string, readonly Labelled[]][] = [
  ['first', labelled],
  ['second', secondLabelled],
  ['third', thirdLabelled],
  ['fourth', fourthLabelled],
  ['fifth', fifthLabelled],
  ['sixth', sixthLabelled],
  ['seventh', seventhLabelled],
  ['eighth', eighthLabelled],
  ['ninth', ninthLabelled],
  ['tenth', tenthLabelled],
  ['eleventh', eleventhLabelled],
  ['twelfth', twelfthLabelled],
  ['thirteenth', thirteenthLabelled],
  ['fourteenth', fourteenthLabelled],
]
