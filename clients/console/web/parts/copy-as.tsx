/** The call behind a view, to copy as curl, TypeScript or Python. */
import { useSignal } from '@preact/signals'
import { copyText } from '../data/clipboard.ts'
import { useCommand } from '../data/reading.ts'
import { type Call, type Language, languages, snippetOf } from '../data/snippets.ts'
import { Fault } from './messages.tsx'
import { Text } from './text.tsx'

/** A panel with the call as code, which the reader can open. */
export function CopyAs({ call }: { call: Call }) {
  const isOpen = useSignal(false)
  return (
    <details class="copy-as" onToggle={event => (isOpen.value = event.currentTarget.open)}>
      <summary>Copy as code</summary>
      {isOpen.value && <Snippet call={call} />}
    </details>
  )
}

/** The code without the panel, which screens without data show at once. */
export function Snippet({ call }: { call: Call }) {
  const language = useSignal<Language>('curl')
  const isCopied = useSignal(false)
  const text = snippetOf(call, language.value)
  const copying = useCommand(async () => {
    await copyText(text)
    isCopied.value = true
    setTimeout(() => (isCopied.value = false), 1500)
  })
  return (
    <div class="snippet">
      <fieldset class="choices" aria-label="Language">
        {languages.map(name => (
          <button
            type="button"
            key={name}
            aria-pressed={language.value === name}
            onClick={() => (language.value = name)}
          >
            {name}
          </button>
        ))}
        <button type="button" class="copy" onClick={() => void copying.run()}>
          {isCopied.value ? 'Copied' : 'Copy'}
        </button>
      </fieldset>
      <Fault error={copying.error.value} />
      <Text text={text} label={`The call in ${language.value}`} kind="code" />
    </div>
  )
}
