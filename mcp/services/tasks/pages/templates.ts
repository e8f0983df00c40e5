import type { Category } from '../category.ts'
import type { EvidenceType } from '../evidence.ts'

/** A task to begin with: everything of it can be changed before it is published. */
export type TaskTemplate = {
  name: string
  title: string
  instructions: string
  category: Category
  bounty_usd: string
  deadline_hours: number
  evidence_required: readonly EvidenceType[]
  needsPlace: boolean
}

export const templates: Readonly<Record<string, TaskTemplate>> = {
  photo: {
    name: 'A photo of a place',
    title: 'A photo of …',
    instructions:
      'Go to the place and take two photos in daylight: one that shows the whole front, one of the detail named here: …',
    category: 'physical_presence',
    bounty_usd: '8.00',
    deadline_hours: 48,
    evidence_required: ['photo_geo'],
    needsPlace: true,
  },
  open: {
    name: 'Is it open?',
    title: 'Is … open today?',
    instructions: 'Go there, look whether it is open, and take a photo of the door with its opening hours.',
    category: 'verification',
    bounty_usd: '5.00',
    deadline_hours: 24,
    evidence_required: ['photo_geo', 'text_response'],
    needsPlace: true,
  },
  errand: {
    name: 'An errand with a receipt',
    title: 'Buy and post …',
    instructions:
      'Buy the item named here and post it to the address that you get as an answer to a question. Hand in the receipt of both.',
    category: 'simple_action',
    bounty_usd: '20.00',
    deadline_hours: 72,
    evidence_required: ['receipt', 'text_response'],
    needsPlace: true,
  },
  research: {
    name: 'A question with sources',
    title: 'Find out …',
    instructions:
      'Answer the question in 200 to 500 words, each claim with the address of its source. The question is: …',
    category: 'research',
    bounty_usd: '15.00',
    deadline_hours: 72,
    evidence_required: ['text_report', 'url_reference'],
    needsPlace: false,
  },
  data: {
    name: 'Data in a form',
    title: 'Collect … as JSON',
    instructions: 'Hand in a JSON list, one object for each item, with the fields named here: …',
    category: 'data_collection',
    bounty_usd: '10.00',
    deadline_hours: 48,
    evidence_required: ['structured_data'],
    needsPlace: false,
  },
}
