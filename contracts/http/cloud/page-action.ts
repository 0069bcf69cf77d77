/** Actions in a browser before a page is read. */
import { type Static, Type } from 'typebox'
import { mustBe, oneOf } from '../../primitives.ts'

export const maxPageActions = 20
/** Maximum milliseconds that one action waits for its element or its document. */
const maxActionMs = 10_000

/** Keys by the names of `KeyboardEvent.key`, with modifiers before them. */
const keyPattern =
  '^(?:(?:Control|Shift|Alt|Meta)\\+){0,3}(?:[!-~]|Enter|Tab|Escape|Backspace|Delete|Space|Home|End|PageUp|PageDown|ArrowUp|ArrowDown|ArrowLeft|ArrowRight|F(?:[1-9]|1[0-2]))$'

/** A value, or a text in place of an action, may be a password, so no error repeats it. */
const secret = { writeOnly: true }

export const PageAction = Type.Object(
  {
    type: oneOf(['goto', 'click', 'fill', 'press', 'wait_for', 'screenshot'], {
      description:
        'goto: opens `url`. click: clicks the element. fill: sets the value of the field to `value`. press: presses `key`, in the element if there is a `selector`. wait_for: waits until the element is visible, or for `ms`. screenshot: takes the screenshot now instead of after the last action.',
    }),
    selector: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'A CSS selector. The first matching element counts.',
        examples: ['#more'],
      }),
    ),
    value: Type.Optional(Type.String({ ...secret, maxLength: 4000, description: 'The value for fill.' })),
    key: Type.Optional(
      Type.String({
        pattern: keyPattern,
        description: 'The key for press, by its name in `KeyboardEvent.key`, such as Enter or Control+a.',
        examples: ['Enter'],
        ...mustBe('one key, such as Enter, ArrowDown, a or Control+a'),
      }),
    ),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 8192,
        description: 'The address for goto, on the host of the page, absolute or relative to its URL.',
        examples: ['/prices'],
      }),
    ),
    ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxActionMs,
        description: 'For wait_for without a selector: how long to wait, in milliseconds.',
      }),
    ),
  },
  { $id: 'PageAction', ...secret },
)
export type PageAction = Static<typeof PageAction>

export const PageActions = Type.Array(PageAction, {
  ...secret,
  maxItems: maxPageActions,
  description: `Actions in the browser after the page has loaded and before it is read, in order; at most ${maxPageActions}. Each waits up to ${maxActionMs / 1000} s for its element. If one fails, the request is 502 \`fetch_failed\` with the reason \`action_failed\` and its position, and costs nothing. Values are never stored or logged.`,
})
