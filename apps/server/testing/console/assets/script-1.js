document.title = 'Pilothouse';
