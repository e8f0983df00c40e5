const builds =
  '(?:[.-](?:slim|min|bundle|pkgd|prod|production|umd|global|esm|esm-browser|module|core|full|all|pack|runtime|src|debug|dev|development|with-locales|[0-9a-f]{8,64}))'

/** `/lodash@4.17.21/…`, `/ajax/libs/lodash.js/4.17.21/…`. */
const folder = (name: string) =>
  `/(?:${name})(?:\\.?js)?(?:@v?(\\d+(?:\\.\\d+){0,3})|/v?(\\d+(?:\\.\\d+){1,3}))(?:/|$)`

/** Script or style files of a library, by the path they are usually served at; groups hold the version. `name` is a pattern. */
export const file = (name: string): RegExp =>
  new RegExp(`/(?:${name})(?:[.-]v?(\\d+(?:\\.\\d+){1,3}))?${builds}*\\.(?:m?js|css)$|${folder(name)}`, 'i')

/** The same for names that others use too: a file counts with a version or the mark of a build only. */
export const release = (name: string): RegExp =>
  new RegExp(
    `/(?:${name})(?:[.-]v?(\\d+(?:\\.\\d+){1,3})${builds}*|${builds}+)\\.(?:m?js|css)$|${folder(name)}`,
    'i',
  )
