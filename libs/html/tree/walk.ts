/** Walks a tree without recursion, in the order of the page. */
import { type ChildNode, type Element, isTag, type ParentNode, type Text } from 'domhandler'

export type Visitor = {
  /** Answers whether to visit what stands in the element; if not, it is not left either. */
  enter?: (element: Element) => boolean
  leave?: (element: Element) => void
  text?: (text: Text) => void
}

/** Visits all that stands in `root`, not `root` itself. The tree must not be changed meanwhile. */
export function walk(root: ParentNode, { enter = always, leave = nothing, text = nothing }: Visitor): void {
  let node: ChildNode | null = root.children[0] ?? null
  while (node !== null) {
    let inside: ChildNode | undefined
    if (node.type === 'text') text(node)
    else if (isTag(node) && enter(node)) {
      inside = node.children[0]
      if (inside === undefined) leave(node)
    }
    node = inside ?? following(node, root, leave)
  }
}

const always = (): boolean => true
const nothing = (): void => {}

/** The next node that is not inside this one; leaves the elements that end before it. */
function following(from: ChildNode, root: ParentNode, leave: (element: Element) => void): ChildNode | null {
  let node: ChildNode = from
  while (node.next === null) {
    const { parent }: ChildNode = node
    if (parent === null || parent === root || !isTag(parent)) return null
    leave(parent)
    node = parent
  }
  return node.next
}
