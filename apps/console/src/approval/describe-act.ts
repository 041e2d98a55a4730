// An act in words, as lists show it. Apart from the other words, which are loaded with the card.

/** `Click "Place order"` as it is printed: `Click “Place order”`. */
export const describeAct = (action: string): string => action.replaceAll(/"([^"]*)"/g, '“$1”');
