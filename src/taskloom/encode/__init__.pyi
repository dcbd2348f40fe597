from taskloom.encode.chat import Chat as Chat
from taskloom.encode.plain import Plain as Plain
