/** Makes the synchronous module of an asynchronous one. */

const rules: [RegExp, string][] = [
  [/ *# Only asynchronous:\n(?:.*\n)*? *# For both:\n/g, ''],
  // Both types become `Generator`, so an import of both keeps only one of them.
  [/\bAsyncGenerator, (?=.*\bGenerator\b)/g, ''],
  [/AsyncGenerator\[(.+), None\]/g, 'Generator[$1, None, None]'],
  [/\basync (def|for|with)\b/g, '$1'],
  [/\bawait /g, ''],
  [/\bAsyncGenerator\b/g, 'Generator'],
  [/\bAsync(?=Iterator|Iterable|ContextManager)/g, ''],
  [/\b(_?)Async(?=[A-Z]\w+)/g, '$1'],
  [/\b__a(iter|next|enter|exit)__\b/g, '__$1__'],
  [/\bStopAsyncIteration\b/g, 'StopIteration'],
  [/\basynccontextmanager\b/g, 'contextmanager'],
  [/\ba(close|read|iter_bytes|iter_lines)\(/g, '$1('],
  [/\bimport anyio\b/g, 'import time'],
  [/\banyio\.sleep\b/g, 'time.sleep'],
  [/\bhttpx\.AsyncClient\b/g, 'httpx.Client'],
]

const note = '# Generated from ../_async by `node test/python-sdk.ts`: do not edit.\n'

/** Returns the text of the synchronous module. */
export function synchronous(text: string): string {
  // `anyio` becomes `time`, which the module may import already.
  const plain = /^import time$/m.test(text) ? text.replace(/^import anyio\n/m, '') : text
  return note + rules.reduce((changed, [pattern, by]) => changed.replaceAll(pattern, by), plain)
}
