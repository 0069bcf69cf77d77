/** Roles of WAI-ARIA 1.2 and its modules for publishing and graphics. */
const roles = new Set(
  (
    'alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox ' +
    'command comment complementary composite contentinfo definition deletion dialog directory document emphasis feed ' +
    'figure form generic grid gridcell group heading image img input insertion landmark link list listbox listitem log ' +
    'main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option ' +
    'paragraph presentation progressbar radio radiogroup range region roletype row rowgroup rowheader scrollbar search ' +
    'searchbox section sectionhead select separator slider spinbutton status strong structure subscript suggestion ' +
    'superscript switch tab table tablist tabpanel term text textbox time timer toolbar tooltip tree treegrid treeitem ' +
    'widget window sectionheader sectionfooter graphics-document graphics-object graphics-symbol'
  ).split(' '),
)

/** Returns whether at least one of the attribute's roles is known. Browsers use the first known role. */
export const isRole = (stated: string): boolean =>
  stated
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .some(role => roles.has(role) || role.startsWith('doc-'))
