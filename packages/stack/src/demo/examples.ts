// Three tasks to try in the shop of a demo, as the console offers them.

export const demoExamples = (shopUrl: string): { title: string; prompt: string; steps_by?: 'program' }[] => [
  {
    title: 'Put a lantern into the basket',
    prompt: `open ${shopUrl}/\ntype "lantern" into "Search"\nclick "Find"\nclick "Add Brass lantern to basket"`,
  },
  {
    title: 'Read a price',
    prompt: `open ${shopUrl}/?q=compass\nextract text css "h2" as product\nextract text css "article p" as price`,
  },
  {
    title: 'Ask me before it orders',
    prompt: `open ${shopUrl}/\nclick "Add Galley kettle to basket"\ntype "Ada" into "Name"\nclick "Place order"`,
    // The one who runs it did not write it. So the order needs a yes, and a no ends the task without one.
    steps_by: 'program',
  },
];
