/** The words and pictures that the conformance suite expects of a diagnostic server. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

export type Content =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; text: string } }

export type Raw = { content: Content[] }

export const text = (words: string): Raw => ({ content: [{ type: 'text', text: words }] })

const image: Content = { type: 'image', data: png, mimeType: 'image/png' }

const resource = (uri: string, mimeType: string, words: string): Content => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
})

/** Tools that only answer with content. */
export const still: Readonly<Record<string, Raw>> = {
  test_simple_text: text('This is a simple text response for testing.'),
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  },
  test_multiple_content_types: {
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
}

export const progressSteps = [0, 50, 100] as const
export const logLines = [
  'Tool execution started',
  'Tool processing data',
  'Tool execution completed',
] as const

export const nap = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 50))

export const resources = [
  {
    name: 'static-text',
    uri: 'test://static-text',
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  { name: 'static-binary', uri: 'test://static-binary', mimeType: 'image/png', blob: png },
  { name: 'watched', uri: 'test://watched-resource', mimeType: 'text/plain', text: 'watched' },
] as const

export const templateResource = (uri: string, id: string) => ({
  contents: [
    {
      uri,
      mimeType: 'application/json',
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    },
  ],
})

type Message = { role: 'user'; content: Content }
const says = (content: Content): Message => ({ role: 'user', content })
const words = (line: string): Message => says({ type: 'text', text: line })

export const prompts = {
  simple: { messages: [words('This is a simple prompt for testing.')] },
  image: { messages: [says(image), words('Please analyze the image above.')] },
  withArguments: (one: string, two: string) => ({
    messages: [words(`Prompt with arguments: arg1='${one}', arg2='${two}'`)],
  }),
  withResource: (uri: string) => ({
    messages: [
      says(resource(uri, 'text/plain', 'Embedded resource content for testing.')),
      words('Please process the embedded resource above.'),
    ],
  }),
}

export const cities = (start: string): string[] => ['paris', 'party'].filter(city => city.startsWith(start))

/** A form with a default in a field of each type (SEP-1034). */
export const formWithDefaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
} as const

const options = ['option1', 'option2', 'option3'] as const
const titledOptions = ['First', 'Second', 'Third'].map((title, at) => ({ const: `value${at + 1}`, title }))

/** A form with a choice of each kind: one or several, with titles or without, and titles as they were (SEP-1330). */
export const enumForm = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titledOptions },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titledOptions } },
} as const
