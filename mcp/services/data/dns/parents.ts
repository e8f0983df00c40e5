/** A name and its parents, without the top-level domain: `a.b.example.com`, `b.example.com`, `example.com`. */
export const nameAndParents = (name: string): string[] => {
  const labels = name.split('.')
  return labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'))
}
